package main

import (
	"context"
	"path/filepath"

	"github.com/compose-spec/compose-go/v2/cli"
)

// Loads the file as `docker compose config` does: its schema, anchors, variables, and what refers to what.
func checkCompose(ctx context.Context, path string) (any, []string, error) {
	options, err := cli.NewProjectOptions(
		[]string{path},
		cli.WithOsEnv,
		cli.WithWorkingDirectory(filepath.Dir(path)),
		cli.WithResolvedPaths(true),
	)
	if err != nil {
		return nil, nil, err
	}
	project, err := options.LoadProject(ctx)
	return project, nil, err
}
