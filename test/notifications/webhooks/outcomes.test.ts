import { useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { testOutcomes } from '../../support/outcomes.ts'
import { webhookGroup } from '../../support/webhooks.ts'

forEachEngine('webhook operations', (engine) => testOutcomes(useApi(engine), webhookGroup))
