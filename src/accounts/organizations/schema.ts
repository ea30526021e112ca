import Type from 'typebox'

export const OrganizationName = Type.String({ minLength: 1, maxLength: 120 })
