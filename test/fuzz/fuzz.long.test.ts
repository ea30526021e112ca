import { fuzz } from './suite.ts'

fuzz({ requests: 2_000, garbage: 600 })
