import type { Migration } from './migration-file.ts'

const UNDEFINED_TABLE = '42P01'
const UNDEFINED_COLUMN = '42703'

type DoneStep = Pick<Migration, 'name' | 'checksum'>

/** The schema's migrations and this version's differ: neither list is a prefix of the other. */
export class ForeignSchemaError extends Error {
  override name = 'ForeignSchemaError'

  constructor(schema: string, difference: string) {
    super(
      `The schema "${schema}" has different migrations than this version: ${difference}. Nothing was changed. ` +
        'Run the version that created the schema, or install this version on an empty database ' +
        '(docs/operate/processes.md, "Schema with other migrations")',
    )
  }
}

export interface Schema {
  name: string
  query: (text: string) => Promise<{ rows: DoneStep[] }>
}

/**
 * Returns more than the number of `steps` if a later version ran. Throws ForeignSchemaError if a step has another name
 * or content.
 */
export async function countDone(schema: Schema, steps: readonly Migration[]): Promise<number> {
  const done = await readDone(schema)
  for (const [index, step] of steps.slice(0, done.length).entries()) {
    const { name, checksum } = done[index] as DoneStep
    if (name === step.name && checksum === step.checksum) continue
    const other = name === step.name ? `differs in content from "${name}"` : `is "${name}" instead of "${step.name}"`
    throw new ForeignSchemaError(schema.name, `its migration ${index + 1} ${other}`)
  }
  return done.length
}

async function readDone({ name, query }: Schema): Promise<DoneStep[]> {
  try {
    const { rows } = await query('select name, checksum from schema_migration order by name collate "C"')
    return rows
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (code === UNDEFINED_TABLE) return []
    if (code === UNDEFINED_COLUMN) throw new ForeignSchemaError(name, 'they ran before the first release')
    throw error
  }
}
