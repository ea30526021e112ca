import { checkMonitor } from '../checks/now.ts'
import type { Operation } from '../contract/operation.ts'
import { acknowledgeIncident } from '../incidents/acknowledge.ts'
import { getIncident } from '../incidents/get.ts'
import { listIncidents } from '../incidents/list.ts'
import { createMonitor } from '../monitors/create.ts'
import { getMonitor } from '../monitors/get.ts'
import { listMonitors } from '../monitors/list.ts'
import { pauseMonitor } from '../monitors/pause.ts'
import { deleteMonitor } from '../monitors/remove.ts'
import { resumeMonitor } from '../monitors/resume.ts'
import { updateMonitor } from '../monitors/update.ts'

/** Every operation of the public API, in the order of the specification. */
export const operations: readonly Operation[] = [
  listMonitors,
  createMonitor,
  getMonitor,
  updateMonitor,
  deleteMonitor,
  pauseMonitor,
  resumeMonitor,
  checkMonitor,
  listIncidents,
  getIncident,
  acknowledgeIncident,
]
