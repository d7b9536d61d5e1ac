// Package doctor finds out why a person gets no answer: it looks at the configuration, the credential, the provider, the
// clients on this machine and the program itself, and names one next step for each thing that is not well. It reads the
// schema and no record, and never shows a token.
package doctor
