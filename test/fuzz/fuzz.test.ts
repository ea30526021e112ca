import { fuzz } from './suite.ts'

fuzz({ requests: 80, extensions: 60, garbage: 40 })
