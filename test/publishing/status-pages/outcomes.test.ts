import { useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { testOutcomes } from '../../support/outcomes.ts'
import { statusGroup } from '../../support/status.ts'

forEachEngine('status operations', (engine) => testOutcomes(useApi(engine), statusGroup))
