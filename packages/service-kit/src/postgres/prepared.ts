import { type CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely'

class Given<Input> {
  readonly of: (input: Input) => unknown

  constructor(of: (input: Input) => unknown) {
    this.of = of
  }
}

export type Give<Input> = (of: (input: Input) => unknown) => RawBuilder<unknown>

export interface Prepared<Input, Row> {
  // biome-ignore lint/suspicious/noExplicitAny: works with any tables
  execute(db: Kysely<any>, input: Input): Promise<Row[]>
}

/** Compiled at the first execution only, so `build` must read each varying value with `given` (ADR 0003). */
export function prepared<Input, Row>(build: (given: Give<Input>) => RawBuilder<Row>): Prepared<Input, Row> {
  let compiled: CompiledQuery<Row> | undefined
  return {
    async execute(db, input) {
      compiled ??= build((of) => sql`${new Given(of)}`).compile(db)
      const parameters = compiled.parameters.map((value) => (value instanceof Given ? value.of(input) : value))
      return (await db.executeQuery<Row>({ ...compiled, parameters })).rows
    },
  }
}

/** Keeps one statement for each form permanently, so a form may depend on configuration only. */
export function preparedFor<Form, Input, Row>(
  build: (form: Form) => Prepared<Input, Row>,
): (form: Form) => Prepared<Input, Row> {
  const known = new Map<string, Prepared<Input, Row>>()
  return (form) => {
    const key = JSON.stringify(form)
    const own = known.get(key) ?? build(form)
    known.set(key, own)
    return own
  }
}
