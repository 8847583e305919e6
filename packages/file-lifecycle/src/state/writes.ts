import type { Ask, Batching } from '@tideport/service-kit/batching/batching'
import type { Kysely } from 'kysely'
import type { FilesDb } from './tables.ts'

/** Rows that others hold are passed over, or waited for. */
export interface Held {
  unlessHeld: boolean
}

/**
 * A write as its one statement, which does it for any number of items. The answers are in the same order; null where a
 * guard failed, and with `unlessHeld` where somebody holds a row that it needs.
 */
export interface ManyRows<Item, Row> {
  /** Items of different keys never share a statement. */
  key?(item: Item): string
  /** Writes of the same word hold the same rows and take turns: at once, one would pass over what the other holds. */
  turn?: string
  /** Items of the same word may be kept waiting together by whoever holds a row of one of them. */
  waitsWith(item: Item): string
  write(db: Kysely<FilesDb>, items: readonly [Item, ...Item[]], held: Held): Promise<readonly (Row | null)[]>
}

/** What changes rows of many files a second goes by this. */
export interface Writes {
  readonly db: Kysely<FilesDb>
  /** Null: its guard failed; read again and decide anew. */
  write<Item, Row>(rows: ManyRows<Item, Row>, item: Item): Promise<Row | null>
}

/** Each item by a statement of its own, such as within a transaction. */
export function alone(db: Kysely<FilesDb>): Writes {
  return { db, write: (rows, item) => writeOne(db, rows, item) }
}

/**
 * What is asked for at once goes in one statement, which passes over rows that others hold, so that nobody waits for a
 * stranger. What it leaves out is asked for again together with what `waitsWith` it; and what that leaves out of
 * several, alone: each of the last ones that fit a quota may be fine.
 */
export function batched(db: Kysely<FilesDb>, batching: Batching): Writes {
  // Of `never`, because each kind of write has its own items.
  const known = new Map<unknown, Asks<never, unknown>>()

  function asksOf<Item, Row>(rows: ManyRows<Item, Row>): Asks<Item, Row> {
    const own = known.get(rows) as Asks<Item, Row> | undefined
    if (own !== undefined) return own
    const asks: Asks<Item, Row> = {
      pass: batching.batch((items) => rows.write(db, items, { unlessHeld: true }), {
        pauses: true,
        turn: rows.turn,
      }),
      wait: batching.batch(
        async (items) => {
          const written = await rows.write(db, items, { unlessHeld: false })
          return written.map((row) => ({ row, wasAlone: items.length === 1 }))
        },
        { pauses: false },
      ),
    }
    known.set(rows, asks)
    return asks
  }

  return {
    db,
    async write(rows, item) {
      const { pass, wait } = asksOf(rows)
      const passed = await pass(rows.key?.(item) ?? '', item)
      if (passed !== null) return passed
      const { row, wasAlone } = await wait(rows.waitsWith(item), item)
      return row ?? (wasAlone ? null : await writeOne(db, rows, item))
    },
  }
}

interface Asks<Item, Row> {
  pass: Ask<Item, Row | null>
  wait: Ask<Item, { row: Row | null; wasAlone: boolean }>
}

async function writeOne<Item, Row>(db: Kysely<FilesDb>, rows: ManyRows<Item, Row>, item: Item): Promise<Row | null> {
  return (await rows.write(db, [item], { unlessHeld: false }))[0] ?? null
}
