import type { Text } from '../en.ts'
import { counted } from './counted.ts'

export const deVaults: Text['vaults'] = {
  lead: 'Ein Tresor enthält Dateien und Ordner. Eine Datei in einem öffentlichen Tresor kann jeder lesen, der ihre Adresse kennt. Dateien in einem privaten Tresor werden verschlüsselt, bevor sie Ihr Gerät verlassen.',
  create: 'Tresor erstellen',
  description: 'Beschreibung',
  slug: 'Name in Adressen und für S3',
  slugHint: 'Kleinbuchstaben, Ziffern, Bindestriche und Punkte. Wenn leer, wird er aus der Bezeichnung gebildet.',
  visibility: 'Sichtbarkeit',
  visibilityHint: 'Sie können dies später nicht ändern.',
  public: 'Öffentlich',
  publicHint: 'Jeder, der die Adresse einer Datei kennt, kann die Datei lesen.',
  private: 'Privat',
  privateHint: 'Dateien werden auf Ihrem Gerät verschlüsselt. Ohne Ihren Schlüssel kann niemand sie lesen.',
  count: (files) => counted(files, 'Datei', 'Dateien'),
  default: 'Standard',
  empty: 'Noch keine Tresore',
  emptyText: 'Erstellen Sie einen Tresor, um Dateien hochzuladen.',
  key: 'Schlüssel',
  editTitle: (name) => `${name} bearbeiten`,
  removeText: (files) =>
    `Der Tresor und sein Inhalt (${files}) kommen in den Papierkorb. Sie können beides wiederherstellen, bis der Papierkorb geleert wird.`,
}
