import { fuzz } from './suite.ts'

// The long run begins with the same cases.
fuzz({ requests: 40, extensions: 30, garbage: 20 })
