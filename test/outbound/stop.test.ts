import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Stop, Stopper } from '../../src/outbound/stop.ts'

/** Both kinds, each with what ends it: ours is to be told from Node's by nothing that anybody relies on. */
const kinds: Record<string, () => { stop: Stop; abort: (reason: unknown) => void }> = {
  ours() {
    const stopper = new Stopper()
    return { stop: stopper, abort: (reason) => stopper.abort(reason) }
  },
  'an AbortSignal'() {
    const controller = new AbortController()
    return { stop: controller.signal, abort: (reason) => controller.abort(reason) }
  },
}

for (const [name, make] of Object.entries(kinds)) {
  test(`${name} tells everybody who listens, once, and keeps the first reason`, () => {
    const { stop, abort } = make()
    const heard: string[] = []
    const one = () => heard.push('one')
    const gone = () => heard.push('gone')
    stop.addEventListener('abort', one)
    stop.addEventListener('abort', gone)
    stop.addEventListener('abort', () => heard.push(`other, for ${stop.reason}`))
    stop.removeEventListener('abort', gone)
    stop.throwIfAborted()
    assert.equal(stop.aborted, false)
    abort('enough')
    abort('more')
    assert.deepEqual(heard, ['one', 'other, for enough'])
    assert.equal(stop.aborted, true)
    assert.equal(stop.reason, 'enough')
    assert.throws(
      () => stop.throwIfAborted(),
      (reason) => reason === 'enough',
    )
  })

  test(`${name} calls nobody who came too late or has gone, whoever else goes`, () => {
    const { stop, abort } = make()
    const heard: string[] = []
    const alone = () => heard.push('alone')
    stop.addEventListener('abort', alone)
    stop.removeEventListener('abort', () => {})
    stop.removeEventListener('abort', alone)
    stop.removeEventListener('abort', alone)
    abort('enough')
    stop.addEventListener('abort', () => heard.push('late'))
    assert.deepEqual(heard, [])
  })
}
