// Renders a chart as `helm template` does, with the template engine and the functions that Helm consists of: Go's and Sprig's, both
// packaged by Debian, which has no Helm. Reads {"folder", "data"} as JSON; `data` is what templates see as `.Values`, `.Chart` and `.Release`.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"gopkg.in/yaml.v3"
)

func main() {
	var input struct {
		Folder string
		Data   map[string]any
	}
	check(json.NewDecoder(os.Stdin).Decode(&input))
	chart := template.New("chart").Option("missingkey=zero").Funcs(sprig.TxtFuncMap())
	chart.Funcs(template.FuncMap{
		"toYaml": toYaml,
		"include": func(name string, data any) (string, error) {
			var out bytes.Buffer
			err := chart.ExecuteTemplate(&out, name, data)
			return out.String(), err
		},
	})
	var names []string
	check(filepath.WalkDir(filepath.Join(input.Folder, "templates"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		check(err)
		if filepath.Ext(path) == ".yaml" {
			names = append(names, path)
		}
		_, err = chart.New(path).Parse(string(text))
		return err
	}))
	for _, name := range names {
		var out bytes.Buffer
		check(chart.ExecuteTemplate(&out, name, input.Data))
		fmt.Printf("---\n%s\n", strings.ReplaceAll(out.String(), "<no value>", ""))
	}
}

// Through JSON, so that whole numbers stay whole.
func toYaml(value any) (string, error) {
	text, err := json.Marshal(value)
	check(err)
	var plain any
	check(yaml.Unmarshal(text, &plain))
	out, err := yaml.Marshal(plain)
	return strings.TrimSuffix(string(out), "\n"), err
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
