import { fuzz } from './suite.ts'

fuzz({ requests: 200, garbage: 100 })
