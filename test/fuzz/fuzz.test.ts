import { fuzz } from './suite.ts'

// The first of the cases of the long run.
fuzz({ requests: 40, extensions: 30, garbage: 20 })
