import { simulateSeeds } from './simulation/suite.ts'

simulateSeeds(1, 60)
