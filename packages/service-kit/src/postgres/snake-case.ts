import { CamelCasePlugin, type PluginTransformQueryArgs, PostgresDialect, PostgresQueryCompiler } from 'kysely'

/** Keys inside JSON are left alone. Statements too: Kysely would copy each of them node by node. */
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
