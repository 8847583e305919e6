import { CamelCasePlugin, type PluginTransformQueryArgs, PostgresDialect, PostgresQueryCompiler } from 'kysely'

/**
 * Rows of snake_case columns as camelCase objects; keys inside JSON are left alone. Statements are left alone, too: Kysely
 * copies each of them whole, node by node, to change its names, where `SnakeCaseDialect` changes them as they are written.
 */
class CamelCaseRows extends CamelCasePlugin {
  override transformQuery({ node }: PluginTransformQueryArgs) {
    return node
  }

  override snakeCase(name: string): string {
    return super.snakeCase(name)
  }
}

export const camelCaseRows = new CamelCaseRows({ maintainNestedObjectKeys: true })

class SnakeCaseCompiler extends PostgresQueryCompiler {
  protected override sanitizeIdentifier(name: string): string {
    return super.sanitizeIdentifier(camelCaseRows.snakeCase(name))
  }
}

export class SnakeCaseDialect extends PostgresDialect {
  override createQueryCompiler() {
    return new SnakeCaseCompiler()
  }
}
