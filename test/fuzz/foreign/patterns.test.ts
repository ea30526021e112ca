import { fuzzForeignInput } from './suite.ts'

// Each has up to 20 expressions. In a file of its own, because it measures the turns of this process.
fuzzForeignInput({ patterns: 250 })
