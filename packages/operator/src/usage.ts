import { parseArgs } from 'node:util'
import { type FilesDb, schema } from '@tideport/file-lifecycle/state/tables'
import { billedCopies, recountUsage, rewriteBilled } from '@tideport/repair/statistics/recount-usage'
import { openDatabase } from '@tideport/service-kit/postgres/database'
import { createPrinter } from '@tideport/service-kit/process/print-rows'
import type { Command, CommandContext } from './command.ts'
import { type Installation, openInstallation } from './open-installation.ts'

/** One statement counts an account with ten million files. */
const STATEMENT_MS = 60 * 60 * 1000

export const usage: Command = {
  usage: '[--fix] [--json]',
  summary: 'Compares the billed bytes of copies, by the current settings, with the stored counts; --fix corrects both',
  async run(context) {
    const options = { fix: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } } as const
    const { values } = parseArgs({ args: context.args, options })
    await using installation = await openInstallation(context)
    const differing = await compareCopies(context, installation, values.fix)
    if (differing > 0)
      context.log.info({ copies: differing }, values.fix ? 'corrected billed bytes' : 'billed bytes differ')
    const miscounted = await recountAll(context, installation, values)
    if (differing + miscounted > 0 && !values.fix) {
      throw new Error(
        `${differing} copies have other billed bytes, and ${miscounted} sums are wrong. To correct both, use --fix`,
      )
    }
  },
}

/** For networks that are not configured, only the rows are known. */
async function compareCopies(
  { signal }: CommandContext,
  { db, networks }: Installation,
  isFixed: boolean,
): Promise<number> {
  let differing = 0
  for await (const copies of billedCopies(db)) {
    signal.throwIfAborted()
    const changed = copies.flatMap((copy) => {
      const billedNow = networks.get(copy.network)?.billedBytes(copy.sizeBytes) ?? copy.billedBytes
      return billedNow === null || billedNow === copy.billedBytes ? [] : [{ ...copy, billedNow }]
    })
    differing += isFixed ? await rewriteBilled(db, changed) : changed.length
  }
  return differing
}

async function recountAll(
  { print, signal, log }: CommandContext,
  { config }: Installation,
  { fix, json }: { fix: boolean; json: boolean },
): Promise<number> {
  const limits = { statementTimeoutMs: STATEMENT_MS }
  await using db = openDatabase<FilesDb>({ ...config, ...limits, schema, name: 'operator', log })
  using printer = createPrinter(print, { json })
  let sums = 0
  for await (const rows of recountUsage(db, { isFixed: fix })) {
    signal.throwIfAborted()
    for (const row of rows) printer.row({ ...row })
    sums += rows.length
  }
  return sums
}
