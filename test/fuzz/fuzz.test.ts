import { fuzz } from './suite.ts'

// The long run begins with the same cases.
fuzz({ requests: 70, garbage: 20 })
