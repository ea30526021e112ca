import { simulateSeeds } from './simulation/suite.ts'

simulateSeeds(200)
