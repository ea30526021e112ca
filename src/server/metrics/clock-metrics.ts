import { Gauge, type Registry } from 'prom-client'
import type { Clock } from '../../lib/clock.ts'

/** Nodes use the clock of the database. The skew shows that the clock of a machine is wrong. */
export function observeClockSkew(registry: Registry, local: Clock, database: Clock): void {
  new Gauge({
    name: 'pharos_clock_skew_seconds',
    help: "Clock of this machine minus the database's",
    registers: [registry],
    collect() {
      this.set((local.now() - database.now()) / 1000)
    },
  })
}
