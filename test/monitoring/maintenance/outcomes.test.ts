import { useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { maintenanceGroup } from '../../support/maintenance.ts'
import { testOutcomes } from '../../support/outcomes.ts'

forEachEngine('maintenance operations', (engine) => testOutcomes(useApi(engine), maintenanceGroup))
