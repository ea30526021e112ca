import { simulateSeeds } from './simulation/suite.ts'

simulateSeeds(2_000)
