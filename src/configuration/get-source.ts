import Type from 'typebox'
import { notFound } from '../contract/errors.ts'
import { operation } from '../contract/operation.ts'
import { execute, q } from '../storage/query.ts'
import { itemOf } from './items.ts'
import { kinds } from './kinds/definitions.ts'
import { type KindName, kindNames } from './kinds/kind.ts'
import { ResourceSource } from './schema.ts'

/** For each kind: which document manages a resource. */
export const sourceOperations = kindNames.map((kind) => getSource(kind))

function getSource(kind: KindName) {
  const { noun, path, param, table } = kinds[kind]
  const name = kind.charAt(0).toUpperCase() + kind.slice(1, -1)
  return operation({
    id: `get${name}Source`,
    method: 'GET',
    path: `${path}/source`,
    access: 'read',
    extension: true,
    tag: 'Configuration',
    summary: `Get the configuration source of a ${noun}`,
    description: `Which configuration document manages the ${noun}, and as what. null if it is managed by hand.`,
    params: Type.Object({ [param]: Type.String({ minLength: 1 }) }),
    answer: { status: 200, schema: ResourceSource, description: 'The source and the key, or null' },
    errors: ['not_found'],
    *handle({ caller: { orgId } }, { params }) {
      const id = (params as Readonly<Record<string, string>>)[param] as string
      const found = q
        .selectFrom(table as 'monitors')
        .select('id')
        .where('org_id', '=', orgId)
        .where('id', '=', id)
      if ((yield* execute(found)).length === 0) throw notFound(noun)
      return yield* itemOf(orgId, kind, id)
    },
  })
}
