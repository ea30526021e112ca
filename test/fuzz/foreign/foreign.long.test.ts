import { rounds } from '../../support/rounds.ts'
import { fuzzForeignInput } from './suite.ts'

// Begins with the same cases as the short run.
fuzzForeignInput({
  documents: 3_000 * rounds,
  answers: 1_000 * rounds,
  dumps: 1_500 * rounds,
  patterns: 1_500 * rounds,
})
