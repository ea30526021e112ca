import type { MonitorTypeDefinition } from '../definition.ts'

/** The job calls a heartbeat URL: see checks/heartbeat.ts. */
export const cron = {
  label: 'Cron job',
  required: {},
  targetText: () => null,
  createProbe: null,
  example: { name: 'Nightly backup', expectedPeriodSec: 86_400, graceSeconds: 1_800 },
} satisfies MonitorTypeDefinition
