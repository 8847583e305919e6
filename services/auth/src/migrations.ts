/** The schema that auth owns, and the folder of its migrations. */
export const schema = 'auth'
export const migrations = new URL('../migrations/', import.meta.url)
