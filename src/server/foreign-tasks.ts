/** Entry point of the threads for foreign text. */

import { readHistoryBody } from '../configuration/read-history-body.ts'
import { readPlanBody } from '../configuration/read-plan-body.ts'
import { parseLargeJson } from '../contract/json-body.ts'
import { chooseObjects } from '../importers/stored-imports/choose-objects.ts'
import { serveForeignTasks } from '../lib/foreign-thread.ts'
import { yamlOfJson } from '../lib/write-yaml.ts'
import { matchPages } from '../shadow-runs/match.ts'
import { readToolPage } from '../shadow-runs/read-page.ts'

serveForeignTasks([parseLargeJson, readPlanBody, readHistoryBody, chooseObjects, yamlOfJson, readToolPage, matchPages])
