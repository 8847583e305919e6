import { createdIndex, type Migration } from '@tideport/service-kit/postgres/migration-file'
import type { Fields, Found } from './syntax-tree.ts'

/** An online step is one statement that may take hours, holds nobody up, and does nothing when it was done before. */
export function checkOnline(statements: Found[], migration: Migration): string[] {
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
  return isValidation ? [] : ['an online step makes or drops an index concurrently, or validates a constraint']
}

function checkIndex(node: Fields, migration: Migration): string[] {
  const isOnline = node.concurrent && node.if_not_exists && node.idxname === createdIndex(migration)
  return isOnline
    ? []
    : ['write "create index concurrently if not exists name on table", in lower case, without a schema']
}
