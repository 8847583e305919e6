import type { Text } from '../en.ts'

export const dePrivacy: Text['privacy'] = {
  title: (vault) => `Schlüssel von ${vault}`,
  lead: 'Ihr Browser ver- und entschlüsselt die Dateien eines privaten Tresors. Der Dienst erhält den Schlüssel nie.',
  toFiles: 'Dateien anzeigen',
  notPrivate: 'Dieser Tresor ist öffentlich',
  notPrivateText: 'Dateien in einem öffentlichen Tresor sind nicht verschlüsselt, daher hat er keinen Schlüssel.',
  notPrivateAnyMore:
    'Dieser Tresor hat einen Schlüssel oder enthält verschlüsselte Dateien, ist also privat, aber der Dienst meldet ihn als öffentlich. Laden Sie keine Dateien hoch. Wenden Sie sich an den Betreiber dieser Installation.',
  insecure: 'Diese Seite ist nicht verschlüsselt',
  insecureText:
    'Browser können Dateien nur auf HTTPS-Seiten verschlüsseln. Wenden Sie sich an den Betreiber dieser Installation.',
  createTitle: 'Schlüssel erstellen',
  createText:
    'Ein Schlüssel entschlüsselt alle Dateien dieses Tresors. Er wird als age-Datei gespeichert, die mit Ihrer Passphrase verschlüsselt ist.',
  lossTitle: 'Niemand kann einen verlorenen Schlüssel wiederherstellen.',
  lossText:
    'Ohne die Passphrase und die Wiederherstellungsdatei kann niemand die Dateien lesen: weder Sie noch wir noch der Betreiber. Bewahren Sie beide bei Ihren Sicherungen auf, aber an getrennten Orten.',
  passphrase: 'Passphrase',
  passphraseHint: 'Mindestens 12 Zeichen. Mehrere Wörter sind besser als eines.',
  again: 'Passphrase wiederholen',
  tooShort: (length) => `Geben Sie mindestens ${length} Zeichen ein.`,
  twoPassphrases: 'Die Passphrasen stimmen nicht überein.',
  suggest: 'Passphrase vorschlagen',
  suggested: (passphrase) =>
    `Zum Beispiel: ${passphrase}. Schreiben Sie die Passphrase auf, und geben Sie sie oben ein.`,
  understood:
    'Ich bewahre die Passphrase und die Wiederherstellungsdatei auf. Mir ist klar, dass die Dateien ohne sie verloren sind.',
  create: 'Schlüssel erstellen',
  failed:
    'Der Schlüssel konnte nicht erstellt werden. Vielleicht hat Ihr Browser zu wenig Speicher. Schließen Sie andere Tabs, und versuchen Sie es erneut.',
  hasKey:
    'Ein anderer Tab oder Browser hat einen Schlüssel für diesen Tresor erstellt. Laden Sie diese Seite neu, und entsperren Sie den Tresor mit diesem Schlüssel.',
  haveKey: 'Ich habe schon einen Schlüssel für diesen Tresor',
  unlockTitle: 'Tresor entsperren',
  unlockText: 'Dieser Browser hat den Schlüssel des Tresors in verschlüsselter Form.',
  unlockByFile:
    'Dateien dieses Tresors sind verschlüsselt. Ihr Schlüssel steht in der Wiederherstellungsdatei, die beim Erstellen des Schlüssels gespeichert wurde.',
  keyFile: 'Wiederherstellungsdatei',
  keyFileHint: 'Der Dateiname endet auf .age. Die Datei wird in Ihrem Browser gelesen und nie hochgeladen.',
  secret: 'Passphrase oder Identität',
  secretHint: 'Geben Sie eine Identität (AGE-SECRET-KEY-1…) ein, wenn jemand anderes die Datei für Sie erstellt hat.',
  otherFile: 'Andere Datei verwenden',
  unlock: 'Tresor entsperren',
  wrongSecret: 'Die Passphrase oder Identität ist falsch, oder die Datei gehört zu einem anderen Tresor.',
  openTitle: 'Der Tresor ist entsperrt',
  openText:
    'Nur in diesem Tab, bis Sie den Tresor sperren, sich abmelden, den Tab schließen oder 15 Minuten lang inaktiv sind.',
  madeText:
    'Der Schlüssel wurde erstellt. Speichern Sie jetzt die Wiederherstellungsdatei: Nur dieser Browser hat sie.',
  savedText:
    'Die Wiederherstellungsdatei liegt in Ihren Downloads. Bewahren Sie sie bei Ihren Sicherungen auf, aber getrennt von der Passphrase.',
  haveRecovery: 'Ich habe die Datei',
  saveLater: 'Später',
  unsavedTitle: 'Wiederherstellungsdatei speichern',
  unsavedText: (vault) =>
    `Ohne die Wiederherstellungsdatei können die Dateien von ${vault} auf keinem anderen Gerät entschlüsselt werden. Wenn Sie Ihre Browserdaten löschen, geht das auch hier nicht mehr. Speichern Sie die Datei jetzt.`,
  lock: 'Sperren',
  saveRecovery: 'Wiederherstellungsdatei speichern',
  recoveryHint:
    'Die Wiederherstellungsdatei öffnen Sie mit Ihrer Passphrase: hier, mit der Kommandozeile oder mit jedem Programm, das age unterstützt.',
  passkeyTitle: 'Passkey',
  passkeyText:
    'Entsperren Sie den Tresor in diesem Browser mit Fingerabdruck, Gesicht oder PIN statt mit der Passphrase. Ihr Browser fragt zweimal: um den Passkey zu erstellen und um ihn zu verwenden.',
  passkeyKept: 'Ein Passkey entsperrt diesen Tresor in diesem Browser.',
  passkeyLoss:
    'Bewahren Sie die Wiederherstellungsdatei und die Passphrase auf: Wenn Sie den Passkey verlieren, entsperren nur sie den Tresor. Jeder, der Ihre Passkeys verwenden kann, kann den Tresor ebenfalls entsperren.',
  addPasskey: 'Passkey hinzufügen',
  savePasskeyFile: 'Passkey-Datei für andere Browser speichern',
  forgetPasskey: 'Aus diesem Browser entfernen',
  openByPasskey: 'Mit Passkey entsperren',
  passkeyNoPrf:
    'Dieser Passkey kann keine Tresore entsperren: Ihr Gerät oder Passwortmanager unterstützt die PRF-Erweiterung nicht. Löschen Sie den Passkey, und versuchen Sie es mit einem anderen Gerät oder Passwortmanager.',
  passkeyDeclined: 'Es wurde kein Passkey verwendet. Versuchen Sie es erneut, oder verwenden Sie die Passphrase.',
  passkeyWrong: 'Dieser Passkey entsperrt den Tresor nicht. Verwenden Sie einen anderen Passkey oder die Passphrase.',
  shareTitle: 'Schlüssel teilen',
  shareText:
    'Der Empfänger kann alle Dateien des Tresors lesen, die er herunterladen kann. Ein geteilter Schlüssel kann nicht widerrufen werden. Der Empfänger öffnet die Datei mit seiner age-Identität.',
  recipient: 'Empfänger',
  recipientHint:
    'Der öffentliche Schlüssel des Empfängers, der mit age1 beginnt. Der Empfänger erzeugt ihn mit age-keygen.',
  recipientWrong: 'Geben Sie einen gültigen Empfänger ein, der mit age1 beginnt.',
  share: 'Datei für Empfänger speichern',
  lockedTitle: 'Diese Datei ist verschlüsselt',
  lockedText: 'Entsperren Sie den Tresor, um die entschlüsselte Datei anzuzeigen oder zu speichern.',
  byService:
    'Diese Datei ist nicht verschlüsselt, obwohl der Tresor privat ist. Sie wurde vom Dienst geschrieben oder von jemandem, der den Dienst kontrolliert.',
  saving: 'Wird gespeichert',
  saveEncrypted: 'Verschlüsselte Datei speichern',
  tooLarge: (size) =>
    `In diesem Browser dürfen Seiten keine Dateien schreiben, daher lassen sich höchstens ${size} entschlüsselt speichern. Verwenden Sie einen Browser wie Chrome oder Edge oder die Kommandozeile.`,
  notSaved: 'Die Datei konnte nicht entschlüsselt und gespeichert werden. Versuchen Sie es erneut.',
}
