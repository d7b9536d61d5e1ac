// Package middlewaretest helps to test what stands around a call: [Spy] stands for the rest of a chain, [RS] for the
// resource server below it. Both remember what reached them, so that a test of a refusal can prove silence.
package middlewaretest
