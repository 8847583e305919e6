import type { Migration } from './migration-file.ts'

const UNDEFINED_TABLE = '42P01'
const UNDEFINED_COLUMN = '42703'

type DoneStep = Pick<Migration, 'name' | 'checksum'>

/** What was run in a schema is neither a beginning of this version's steps nor do they begin it. */
export class ForeignSchemaError extends Error {
  override name = 'ForeignSchemaError'

  constructor(schema: string, difference: string) {
    super(
      `The schema "${schema}" was made by other steps than this version's: ${difference}. Nothing was changed. ` +
        'It cannot be upgraded: run the version that made it, or set this one up on an empty database ' +
        '(docs/operate/processes.md, "A schema of other steps")',
    )
  }
}

export interface Schema {
  name: string
  query: (text: string) => Promise<{ rows: DoneStep[] }>
}

/** More than there are where a later version ran. Throws ForeignSchemaError for a step of another name or content. */
export async function countDone(schema: Schema, steps: readonly Migration[]): Promise<number> {
  const done = await readDone(schema)
  for (const [index, step] of steps.slice(0, done.length).entries()) {
    const { name, checksum } = done[index] as DoneStep
    if (name === step.name && checksum === step.checksum) continue
    const other = name === step.name ? `was another "${name}"` : `was "${name}", here it is "${step.name}"`
    throw new ForeignSchemaError(schema.name, `its step ${index + 1} ${other}`)
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
    if (code === UNDEFINED_COLUMN) throw new ForeignSchemaError(name, 'they were run before the first release')
    throw error
  }
}
