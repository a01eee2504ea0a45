// Checks the files of deploy/ with the code of those who read them in earnest: compose's loader, kustomize, the
// API server's own decoding and validation, the check of Pod security, and BuildKit's `docker build --check`.
//
//	deploy-check compose FILE       the project, filled in from the environment
//	deploy-check kubernetes FOLDER  the objects that a kustomization makes
//	deploy-check dockerfile FILE    the stages
//	deploy-check yaml FILE          any other file, of which it knows nothing
//
// Prints what was read as JSON; what is wrong goes to standard error, and the exit code is then 1.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"sigs.k8s.io/yaml"
)

type check func(ctx context.Context, path string) (any, []string, error)

var checks = map[string]check{
	"compose":    checkCompose,
	"kubernetes": checkKubernetes,
	"dockerfile": checkDockerfile,
	"yaml":       readYaml,
}

func main() {
	if len(os.Args) != 3 || checks[os.Args[1]] == nil {
		fail("usage: deploy-check compose|kubernetes|dockerfile|yaml PATH")
	}
	read, faults, err := checks[os.Args[1]](context.Background(), os.Args[2])
	if err != nil {
		fail(err.Error())
	}
	for _, fault := range faults {
		fmt.Fprintln(os.Stderr, fault)
	}
	if len(faults) > 0 {
		os.Exit(1)
	}
	if err := json.NewEncoder(os.Stdout).Encode(read); err != nil {
		fail(err.Error())
	}
}

func fail(sentence string) {
	fmt.Fprintln(os.Stderr, sentence)
	os.Exit(1)
}

func readYaml(_ context.Context, path string) (any, []string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	var read any
	err = yaml.UnmarshalStrict(text, &read)
	return read, nil, err
}
