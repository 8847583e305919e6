import type { Ask, Batching } from '@tideport/service-kit/batching/batching'
import type { Kysely } from 'kysely'
import type { FilesDb } from './tables.ts'

/** Whether a statement skips locked rows or waits for them. */
export interface Held {
  unlessHeld: boolean
}

/**
 * A write of any number of items in one statement. The results are in the same order. Null: a guard failed, or, with
 * `unlessHeld`, a row that the item needs is locked.
 */
export interface ManyRows<Item, Row> {
  /** Items of different keys never share a statement. */
  key?(item: Item): string
  /** Serializes writes with the same word: they lock the same rows, so concurrent ones would skip each other's rows. */
  turn?: string
  /** Items with the same word may wait together for a lock on a row of one of them. */
  waitsWith(item: Item): string
  write(db: Kysely<FilesDb>, items: readonly [Item, ...Item[]], held: Held): Promise<readonly (Row | null)[]>
}

/** For changes of rows of many files per second. */
export interface Writes {
  readonly db: Kysely<FilesDb>
  /** Null: its guard failed, so read and decide again. */
  write<Item, Row>(rows: ManyRows<Item, Row>, item: Item): Promise<Row | null>
}

/** Writes each item with its own statement, e.g. within a transaction. */
export function alone(db: Kysely<FilesDb>): Writes {
  return { db, write: (rows, item) => writeOne(db, rows, item) }
}

/**
 * Writes concurrent items in one statement, which skips locked rows, so no account waits for another one. Skipped items
 * are written again, together with those that have the same `waitsWith`, and wait for locks. If that leaves an item out
 * too, the item is written alone, because several items may exceed a quota that one of them fits.
 */
export function batched(db: Kysely<FilesDb>, batching: Batching): Writes {
  // `never`, because each kind of write has its own type of items.
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
