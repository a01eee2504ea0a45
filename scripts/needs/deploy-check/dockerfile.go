package main

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

type stage struct {
	Name     string   `json:"name"`
	Base     string   `json:"base"`
	Commands []string `json:"commands"`
}

// Parses the file as BuildKit does, with those checks of `docker build --check` that belong to its parser, and
// tells its stages.
func checkDockerfile(_ context.Context, path string) (any, []string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	parsed, err := parser.Parse(bytes.NewReader(text))
	if err != nil {
		return nil, nil, err
	}
	faults := []string{}
	for _, warning := range parsed.Warnings {
		faults = append(faults, warning.Short)
	}
	read, _, err := instructions.Parse(parsed.AST, linter.New(&linter.Config{
		Warn: func(rule, _, _, message string, at []parser.Range) {
			faults = append(faults, fmt.Sprintf("line %d: %s: %s", at[0].Start.Line, rule, message))
		},
	}))
	if err != nil {
		return nil, nil, err
	}
	stages := []stage{}
	for _, one := range read {
		commands := []string{}
		for _, command := range one.Commands {
			commands = append(commands, fmt.Sprint(command))
		}
		stages = append(stages, stage{Name: one.Name, Base: one.BaseName, Commands: commands})
	}
	return stages, faults, nil
}
