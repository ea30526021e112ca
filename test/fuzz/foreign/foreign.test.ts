import { fuzzForeignInput } from './suite.ts'

// About a minute on two cores. Every tenth of the answers are 30 answers to shadow runs.
fuzzForeignInput({ documents: 500, answers: 350, dumps: 450 })
