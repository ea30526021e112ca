import { fuzz } from './suite.ts'

fuzz({ requests: 1_000, extensions: 1_000, garbage: 600 })
