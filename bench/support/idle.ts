/** A process that does nothing but measure how late its timers are: what the machine itself causes. */
import { createDelayMeter, type Delays } from './delay-meter.ts'

const meter = createDelayMeter()

process.on('message', (message: 'start' | 'stop' | 'read') => {
  if (message !== 'read') meter[message]()
  else process.send?.(meter.read() satisfies Delays)
})
process.once('disconnect', () => process.exit())
