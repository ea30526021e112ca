import { PharosError } from '../../../clients/typescript/src/index.ts'
import { kindNames } from '../../configuration/kinds/kind.ts'
import { isObject } from '../../lib/json.ts'
import type { Environment } from '../../server/config/read-files.ts'
import type { Arguments } from '../command.ts'
import { planDocument } from '../configuration/commands.ts'
import type { Configuration } from '../configuration/read-files.ts'
import { createMask, type UsedVariables } from '../configuration/variables.ts'

type Values = Readonly<Record<string, unknown>>

/** A resource that the server refuses. */
interface LeftOut {
  readonly kind: string
  readonly name: string
  /** As a plan names it: `contacts.ops`. */
  readonly key: string
  readonly reason: string
}

/**
 * Plans a document without the resources that the server refuses: one wrong value in the other tool must not stop the others. `known`:
 * what an earlier import has created. To leave it out would release it.
 */
export async function planAcceptable(
  environment: Environment,
  args: Arguments,
  configuration: Configuration & { readonly variables: UsedVariables },
  known: Values,
) {
  const leftOut: LeftOut[] = []
  let current = configuration
  for (;;) {
    try {
      return { planned: await planDocument(environment, args, current), leftOut }
    } catch (error) {
      const refused = refusedIn(error, current)
      const isKnown = ({ kind, name }: LeftOut) => Object.hasOwn(Object(known[kind]), name)
      if (refused.length === 0 || refused.some(isKnown)) throw error
      leftOut.push(...refused)
      const keys = new Set(refused.map(({ key }) => key))
      const { values, shown } = current.variables
      const variables = { values, shown: withoutResources(shown, keys) }
      current = { ...current, document: withoutResources(current.document, keys), variables }
    }
  }
}

function refusedIn(error: unknown, { document, variables }: Configuration): LeftOut[] {
  const cause = error instanceof Error ? error.cause : undefined
  if (!(cause instanceof PharosError) || cause.code !== 'validation_error') return []
  const mask = createMask(document, variables ?? { values: new Map(), shown: document })
  const found = new Map<string, LeftOut>()
  for (const { path, message } of cause.details) {
    const [, kind = '', name = '', field = ''] = /^document\.([^.]+)\.([^.]+)\.?(.*)$/.exec(path) ?? []
    const resources = document[kind]
    if (!isObject(resources) || !Object.hasOwn(resources, name) || found.has(`${kind}.${name}`)) continue
    const reason = `${field} ${mask.message(message, `${kind}.${name}.${field}`)}`.trim()
    found.set(`${kind}.${name}`, { kind, name, key: `${kind}.${name}`, reason })
  }
  return [...found.values()]
}

/** The document without resources, and without what refers to them. */
function withoutResources(document: Values, keys: ReadonlySet<string>): Values {
  const isKept = (kind: string, name: unknown) => !keys.has(`${kind}.${name}`)
  const pruned = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(pruned)
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        const kind = name === 'exceptMonitors' ? 'monitors' : name
        if (!Array.isArray(member)) return [name, pruned(member)]
        return [name, pruned(member.filter((item) => isKept(kind, isObject(item) ? item.monitor : item)))]
      }),
    )
  }
  const entries = Object.entries(document).map(([name, resources]) => {
    if (!(kindNames as readonly string[]).includes(name) || !isObject(resources)) return [name, resources]
    const kept = Object.entries(resources).filter(([key]) => isKept(name, key))
    return [name, Object.fromEntries(kept.map(([key, resource]) => [key, pruned(resource)]))]
  })
  return Object.fromEntries(entries)
}
