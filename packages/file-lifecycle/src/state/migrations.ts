/** The schema that the files context owns, and the folder of its migrations. */
export const schema = 'files'
export const migrations = new URL('../../migrations/', import.meta.url)
