import { singleLine } from '../../contract/schema.ts'

export const OrganizationName = singleLine({ minLength: 1, maxLength: 120 })
