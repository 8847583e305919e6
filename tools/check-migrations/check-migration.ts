import { createdIndex, type Migration, type StepKind } from '@tideport/service-kit/postgres/migration-file'
import { parse } from 'libpg-query'
import { checkShort } from './check-short.ts'
import { type Fields, type Found, firstNode, nodesOf } from './syntax-tree.ts'

const NAME = /^\d{4}[a-z]?_[a-z0-9_]+$/

type Check = (statements: Found[], migration: Migration) => string[]

const checks: Record<StepKind, Check> = { short: checkShort, online: checkOnline, batches: checkBatches }

/** Faults of this step: it would block writes to a large table, or could not be repeated after a kill. */
export async function checkMigration(migration: Migration): Promise<string[]> {
  try {
    const { stmts = [] } = await parse(migration.sql)
    return checks[migration.kind](
      stmts.map(({ stmt }) => firstNode(stmt)),
      migration,
    )
  } catch (error) {
    return [`Postgres cannot parse it: ${(error as Error).message}`]
  }
}

/** Files run in the order of their names, so each needs a unique number. */
export function checkNames(names: string[]): string[] {
  const places = names.map((name) => name.split('_')[0] ?? '')
  return [
    ...names.filter((name) => !NAME.test(name)).map((name) => `${name}: rename the file to 0001_what or 0001a_what`),
    ...places
      .filter((place, index) => places.indexOf(place) !== index)
      .map((place) => `two files are numbered ${place}`),
  ]
}

/** An online step is one statement that may take hours, blocks no writes, and has no effect when repeated. */
function checkOnline(statements: Found[], migration: Migration): string[] {
  const [first] = statements
  if (first === undefined || statements.length > 1) return ['an online step is one statement']
  const { kind, node } = first
  if (kind === 'IndexStmt') return checkIndex(node, migration)
  if (kind === 'DropStmt' && node.removeType === 'OBJECT_INDEX') {
    return node.concurrent && node.missing_ok ? [] : ['write "drop index concurrently if exists"']
  }
  const isValidation =
    kind === 'AlterTableStmt' &&
    node.cmds.every((command: Fields) => command.AlterTableCmd.subtype === 'AT_ValidateConstraint')
  return isValidation ? [] : ['an online step creates or drops an index concurrently, or validates a constraint']
}

function checkIndex(node: Fields, migration: Migration): string[] {
  const isOnline = node.concurrent && node.if_not_exists && node.idxname === createdIndex(migration)
  return isOnline
    ? []
    : ['write "create index concurrently if not exists name on table", in lower case, without a schema']
}

/** A batch locks all of its rows until it commits. */
const MOST_ROWS = 1_000
const WRITES = new Set(['InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt'])

/** A step in batches is one statement that changes a limited number of rows and returns no row when none is left. */
function checkBatches(statements: Found[], { sql }: Migration): string[] {
  const [first] = statements
  if (first === undefined || statements.length > 1) return ['a step in batches is one statement']
  const nodes = [...nodesOf({ [first.kind]: first.node })]
  const writes = nodes.filter(({ kind }) => WRITES.has(kind))
  const limited = new Set(
    nodes.flatMap(({ kind, node }) => (kind === 'CommonTableExpr' && hasLimit(node.ctequery) ? [node.ctename] : [])),
  )
  const isBounded = ({ node }: Found) =>
    hasLimit(node) || [...nodesOf(node)].some(({ kind, node }) => kind === 'RangeVar' && limited.has(node.relname))
  return [
    ...(writes.length > 0 ? [] : ['it writes nothing']),
    ...(writes.every(isBounded) ? [] : [`select the written rows with a limit of at most ${MOST_ROWS}`]),
    ...(answersRows(first) ? [] : ['it returns no row, which completes the step: add "returning" or a select']),
    ...(sql.includes('$1') && !answersLast(first) ? ['with $1 it must return its last position as "last"'] : []),
  ]
}

/** Whether this select or one within it has a small limit of its own, not that of the outermost statement. */
const hasLimit = (tree: unknown) =>
  [...nodesOf(tree)].some(({ kind, node }) => {
    const limit = kind === 'SelectStmt' ? node.limitCount?.A_Const?.ival?.ival : undefined
    return limit > 0 && limit <= MOST_ROWS
  })

const answersRows = ({ kind, node }: Found) =>
  kind === 'SelectStmt' || node.returningList !== undefined || node.returningClause !== undefined

function answersLast({ kind, node }: Found): boolean {
  const answered = kind === 'SelectStmt' ? node.targetList : (node.returningClause?.exprs ?? node.returningList)
  return (answered ?? []).some((target: Fields) => target.ResTarget?.name === 'last')
}
