import type { Migration } from '@tideport/service-kit/postgres/migration-file'
import { checkAlter } from './check-alter.ts'
import { type Fields, type Found, nodesOf } from './syntax-tree.ts'

/** Statements that neither read an existing table nor lock one for long. */
const HARMLESS = new Set([
  'CommentStmt',
  'CreateEnumStmt',
  'CreateExtensionStmt',
  'CreateFunctionStmt',
  'CreateSeqStmt',
  'GrantStmt',
  'SelectStmt',
  'ViewStmt',
])
const WRITES = new Set(['InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt'])

/** The state of one file. Some statements are allowed only on tables that the file itself created. */
interface Progress {
  made: Set<string>
  locked: Set<string>
  isCompatible: boolean
}

/** A short step is one transaction that locks at most one existing table, and reads or rewrites none. */
export function checkShort(statements: Found[], { isCompatible }: Migration): string[] {
  const progress: Progress = { made: new Set(), locked: new Set(), isCompatible }
  const faults = statements.flatMap((statement) => [...checkWrites(statement, progress), ...check(statement, progress)])
  const { locked } = progress
  return locked.size > 1
    ? [...faults, `it locks ${[...locked].join(' and ')}. Lock at most one existing table in a step`]
    : faults
}

function check({ kind, node }: Found, progress: Progress): string[] {
  const table: string | undefined = node.relation?.relname
  if (kind === 'CreateStmt') return noteCreated(node, progress)
  if (HARMLESS.has(kind) || WRITES.has(kind)) return []
  if (kind === 'DropStmt') return checkDrop(node, progress)
  if (table !== undefined && progress.made.has(table)) {
    return kind === 'IndexStmt' && node.concurrent
      ? ['an index of a table that this step creates needs no "concurrently"']
      : []
  }
  if (table !== undefined) progress.locked.add(table)
  if (kind === 'IndexStmt') return ['create an index of an existing table concurrently, in an online step']
  if (kind === 'AlterTableStmt') return checkAlter(node)
  if (kind === 'CreateTrigStmt') return []
  if (kind === 'RenameStmt') return progress.isCompatible ? ['a new name is breaking'] : []
  return [`${kind} is not known to be harmless`]
}

/** A foreign key locks the table it points to. */
function noteCreated(node: Fields, { made, locked }: Progress): string[] {
  made.add(node.relation.relname)
  for (const { kind, node: constraint } of nodesOf(node)) {
    const target = kind === 'Constraint' ? constraint.pktable?.relname : undefined
    if (target !== undefined && !made.has(target)) locked.add(target)
  }
  return []
}

function checkDrop(node: Fields, { locked }: Progress): string[] {
  if (node.removeType === 'OBJECT_INDEX') return ['drop an index concurrently, in an online step']
  for (const object of node.objects) {
    const path = object.List?.items.map((item: Fields) => item.String.sval) ?? []
    if (node.removeType === 'OBJECT_TABLE') locked.add(path.at(-1))
    if (node.removeType === 'OBJECT_TRIGGER') locked.add(path.at(-2))
  }
  return []
}

function checkWrites(statement: Found, { made }: Progress): string[] {
  const nodes = [...nodesOf({ [statement.kind]: statement.node })]
  return nodes.flatMap(({ kind, node }) => {
    if (!WRITES.has(kind) || made.has(node.relation.relname)) return []
    const isFewRows = kind === 'InsertStmt' && (node.selectStmt?.SelectStmt?.valuesLists ?? []).length > 0
    return isFewRows ? [] : ['change rows of an existing table in batches, in a separate step']
  })
}
