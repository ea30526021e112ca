import { rounds } from '../../support/rounds.ts'
import { simulateSeeds } from './simulation/suite.ts'

// The seeds before are part of the short run.
simulateSeeds(61, 60 + 400 * rounds)
