import assert from 'node:assert/strict'
import { registerHooks } from 'node:module'
import { test } from 'node:test'
import type { MonitorTypeDefinition } from '../../../src/monitoring/monitor-types/definition.ts'

/** Packages that the modules import from here on. */
const packages = new Set<string>()
registerHooks({
  resolve(specifier, context, next) {
    if (!/^[./]|^(node|file):/.test(specifier)) packages.add(specifier)
    return next(specifier, context)
  },
})

test('a probe thread loads the definitions without the schemas of the API', async () => {
  await import('../../../src/monitoring/probes/create-probes.ts')
  assert.deepEqual([...packages].sort(), ['ipaddr.js'])
})

test('a type without a probe or without an example does not compile', async () => {
  const { definitions } = await import('../../../src/monitoring/monitor-types/definitions.ts')
  const { createProbe: _probe, ...probeless } = definitions.PORT
  const { example: _example, ...exampleless } = definitions.PORT
  const incomplete: Record<string, MonitorTypeDefinition> = {
    // @ts-expect-error
    PROBELESS: probeless,
    // @ts-expect-error
    EXAMPLELESS: exampleless,
  }
  assert.equal(Object.keys(incomplete).length, 2)
})
