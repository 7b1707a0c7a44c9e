import SDK
import SwiftUI

extension View {
  /// Shows the paywalls of a host over this view.
  func paywalls(of host: PaywallHost) -> some View {
    @Bindable var host = host
    return sheet(item: $host.shown, onDismiss: host.sheetDisappeared) { shown in
      PaywallSheet(host: host, presentation: shown.presentation)
        .onAppear { host.sheetAppeared() }
    }
  }
}

/// A paywall: its name, its products with their prices, and the buttons to leave.
struct PaywallSheet: View {
  let host: PaywallHost
  let presentation: PaywallPresentation

  var body: some View {
    VStack(spacing: 16) {
      Text(presentation.info.name).font(.title)
      ForEach(presentation.products, id: \.id) { product in
        Button(offer(product)) { presentation.handle.purchaseTapped(product.id) }
      }
      Button("Restore purchases") { presentation.handle.restoreTapped() }
      Button("Not now") { presentation.handle.closeTapped() }
    }
    .disabled(host.isBuying)
    .padding()
    .alert(
      host.alert?.title ?? "",
      isPresented: Binding(get: { host.alert != nil }, set: { if !$0 { host.alert = nil } })
    ) {
      Button("OK") { host.alert = nil }
    } message: {
      Text(host.alert?.message ?? "")
    }
  }

  /// For example "$59.99 a year, 7-day trial".
  private func offer(_ product: StoreProduct) -> String {
    let texts = presentation.attributes[product.id]?.texts ?? [:]
    var offer = texts["price"] ?? product.displayPrice ?? product.id
    if let period = texts["period"], !period.isEmpty { offer += " a \(period)" }
    if let trial = texts["trialPeriodText"], !trial.isEmpty { offer += ", \(trial) trial" }
    return offer
  }
}

/// The app's first view.
struct FirstView: View {
  let tollgate: Tollgate
  let host: PaywallHost
  @State private var isExported = false

  var body: some View {
    VStack {
      Text(isExported ? "Exported" : "A report of 12 pages")
      Button("Export as PDF") {
        Task {
          await tollgate.register(placement: "export_pdf", params: ["pages": 12]) {
            isExported = true
          }
        }
      }
    }
    .paywalls(of: host)
    .task {
      do {
        try await tollgate.configure(apiKey: "pk_...")
      } catch {
        print("no paywalls: \(error.localizedDescription)")
      }
    }
  }
}
