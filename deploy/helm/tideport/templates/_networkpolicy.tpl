{{/* A selector of this release's pods of these components. Takes root and names. */}}
{{- define "tideport.peers" -}}
podSelector:
  matchLabels: {app.kubernetes.io/instance: {{ .root.Release.Name }}}
  matchExpressions:
    - {key: app.kubernetes.io/component, operator: In, values: {{ toJson .names }}}
{{- end }}

{{- define "tideport.policyPorts" -}}
{{- $ports := list }}{{- range . }}{{- $ports = append $ports (dict "port" (int .) "protocol" "TCP") }}{{- end }}
{{- toJson $ports }}
{{- end }}

{{/* The ports of a dependency's URLs in the values, as JSON, or its usual port. An empty list would allow every port. Takes root and need. */}}
{{- define "tideport.addressPorts" -}}
{{- $values := .root.Values -}}
{{- $addresses := get (dict "nats" (include "tideport.string" $values.nats.url | nospace | splitList ",") "s3" (list $values.s3.endpoint) "identity" (list $values.identity.issuer $values.identity.jwksUri) "otel" (list $values.otel.endpoint)) .need -}}
{{- $ports := list -}}
{{- range compact (default list $addresses) }}{{ $ports = append $ports (include "tideport.portOf" . | int) }}{{ end -}}
{{- $usual := get (dict "postgres" 5432 "nats" 4222 "otel" 4318) .need | default 443 -}}
{{- toJson (default (list $usual) (uniq $ports)) -}}
{{- end }}

{{/* An egress rule for one dependency. Takes root and need. */}}
{{- define "tideport.egress" -}}
{{- $root := .root }}
{{- $components := include "tideport.components" $root | fromYaml }}
{{- $dev := dict "postgres" (list $root.Values.dev.postgres.enabled 5432) "nats" (list $root.Values.dev.nats.enabled 4222) "s3" (list $root.Values.dev.s3.enabled 9000) }}
{{- $own := get $dev .need }}
{{- if hasKey $components .need }}
- to:
    - {{ include "tideport.peers" (dict "root" $root "names" (list .need)) | nindent 6 | trim }}
  ports: {{ include "tideport.policyPorts" (list (get $components .need).port) }}
{{- else if and $own (first $own) }}
- to:
    - {{ include "tideport.peers" (dict "root" $root "names" (list .need)) | nindent 6 | trim }}
  ports: {{ include "tideport.policyPorts" (rest $own) }}
{{- else if eq .need "volume" }}
{{- /* The node mounts volumes, so they need no rule. External networks need one, like other external peers. */}}
{{- with include "tideport.networkPorts" $root | fromJsonArray }}
- ports: {{ include "tideport.policyPorts" . }}
  {{- with $root.Values.networkPolicy.egress.networks.to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- else }}
{{- $need := ternary "webhooks" .need (eq .need "receivers") }}
{{- $egress := get $root.Values.networkPolicy.egress $need }}
- ports: {{ include "tideport.policyPorts" (default (include "tideport.addressPorts" (dict "root" $root "need" $need) | fromJsonArray) $egress.ports) }}
  {{- with $egress.to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- end }}

{{/* Takes root, name, ingress, and egress (rules as YAML). */}}
{{- define "tideport.policy" -}}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "tideport.fullname" .root }}-{{ .name }}
  labels:
    {{- include "tideport.labels" . | nindent 4 }}
spec:
  podSelector:
    matchLabels:
      {{- include "tideport.selectorLabels" . | nindent 6 }}
  policyTypes: [Ingress, Egress]
  {{- with trim .ingress }}
  ingress:
    {{- . | nindent 4 }}
  {{- end }}
  egress:
    - ports: [{port: 53, protocol: UDP}, {port: 53, protocol: TCP}]
    {{- with trim .egress }}
    {{- . | nindent 4 }}
    {{- end }}
    {{- with .root.Values.networkPolicy.egressExtra }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end }}
