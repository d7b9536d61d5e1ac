package tools

import "fmt"

// A Prompt is a message that a person can start from in a host that offers prompts.
type Prompt struct {
	Name        string
	Title       string
	Description string
	// Argument is the one thing that the person fills in.
	Argument            string
	ArgumentDescription string
	// Message returns what is said to the model.
	Message func(argument string) string
}

// MaxPromptBytes bounds what a person fills in.
const MaxPromptBytes = 4000

// Prompts returns every prompt.
func Prompts() []Prompt {
	return []Prompt{{
		Name: "ask", Title: "Ask my data",
		Description: "Answer a question from the granted data, with the ids of the records that prove it.",
		Argument:    "question", ArgumentDescription: "What you want to know",
		Message: func(question string) string {
			return fmt.Sprintf("Answer this from my own data: %s\n\n"+
				"Call schema first, then search or aggregate, and fetch or read_record_field for what you need whole. "+
				"Quote the id of each record that you rely on. If the data does not say, say so.", question)
		},
	}}
}
