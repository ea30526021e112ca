"""Generates Python code from an OpenAPI document, one function per operation and status, and gives it answers.

Usage: accept_answers.py openapi.json answers.json
Prints the number of accepted answers; fails with the first that is not accepted.
"""

import json
import sys

import fastjsonschema


def schemas_of(document):
    """The schema of every answer, by operation and status."""
    for path in document["paths"].values():
        for operation in path.values():
            for status, response in operation["responses"].items():
                if "$ref" in response:
                    response = document["components"]["responses"][response["$ref"].split("/")[-1]]
                content = response.get("content", {}).get("application/json")
                if content is not None:
                    yield f"{operation['operationId']} {status}", content["schema"]


def generate(document, schema):
    """The generated code, loaded as a module is."""
    whole = {"allOf": [schema], "components": document["components"]}
    space = {}
    exec(compile(fastjsonschema.compile_to_code(whole), "generated", "exec"), space)
    return space["validate"]


def main(document_file, answers_file):
    with open(document_file, encoding="utf-8") as file:
        document = json.load(file)
    with open(answers_file, encoding="utf-8") as file:
        answers = json.load(file)
    schemas = dict(schemas_of(document))
    validators = {}
    for answer in answers:
        name = f"{answer['operation']} {answer['status']}"
        if name not in validators:
            validators[name] = generate(document, schemas[name])
        try:
            validators[name](answer["body"])
        except fastjsonschema.JsonSchemaException as error:
            sys.exit(f"{name}: {error}\n{json.dumps(answer['body'])}")
    print(len(answers))


main(*sys.argv[1:])
