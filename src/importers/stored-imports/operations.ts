import type { Operation } from '../../contract/operation.ts'
import type { LabelListener } from '../../monitoring/labels/save.ts'
import { applyImport } from './apply.ts'
import { createImport } from './create.ts'
import { getImport } from './get.ts'
import { listImports } from './list.ts'
import { planImport } from './plan.ts'
import { deleteImport } from './remove.ts'

export const importOperations = (operations: readonly Operation[], labelListeners: readonly LabelListener[]) => [
  listImports,
  createImport,
  getImport,
  planImport,
  applyImport(operations, labelListeners),
  deleteImport,
]
