const o=require('/tmp/wt/otel/node_modules/@temporalio/interceptors-opentelemetry/lib/workflow');
exports.interceptors=()=>({inbound:[new o.OpenTelemetryInboundInterceptor()],outbound:[new o.OpenTelemetryOutboundInterceptor()],internals:[new o.OpenTelemetryInternalsInterceptor()]});
