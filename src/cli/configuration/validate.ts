import { type ClientCommand, CommandError } from '../command.ts'
import { problemsText } from './describe-plan.ts'

export const validateCommand: ClientCommand = {
  name: 'validate',
  summary: 'Check configuration files without a server',
  positionals: ['FILE…'],
  repeatsLast: true,
  notes: () => [
    'Finds wrong fields and values, and references to what the files do not have. Variables need not be set; values that contain one',
    'are not checked. What depends on the server, such as names in use and limits of the plan, "pharos plan" finds.',
    'The exit code is 0 if the files are valid, and 1 if not.',
  ],
  examples: ['pharos validate pharos.yaml', 'pharos validate monitors/'],
  async call(environment, { positionals }) {
    // Loaded here, so that listing commands does not load the YAML parser and the schemas.
    const [{ readConfiguration }, { documentFaults }] = await Promise.all([
      import('./read-files.ts'),
      import('../../configuration/validate.ts'),
    ])
    const { document, problems, locate, isUnset } = readConfiguration(positionals, environment)
    const faults = documentFaults(document).flatMap(({ path, message }) => {
      const inner = path.replace(/^document\.?/, '')
      return isUnset(inner) ? [] : `${locate(inner)} ${inner} ${message}`
    })
    const unset = problems.flatMap((problem) => / (\S+) is not set$/.exec(problem)?.[1] ?? [])
    const found = problems.filter((problem) => !problem.endsWith(' is not set'))
    const all = [...found, ...faults].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    if (all.length > 0) throw new CommandError(problemsText(all))
    const names = [...new Set(unset)].sort()
    const note = names.length === 0 ? '' : ` Not checked, because they are not set: ${names.join(', ')}.`
    return { text: `The configuration is valid.${note}`, json: { valid: true, unsetVariables: names } }
  },
}
