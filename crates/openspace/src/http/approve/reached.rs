//! Where another device reaches this server, as far as this machine can tell.
//!
//! Nothing is asked over the network: which of its addresses this machine would send from is a look into its own
//! table of routes. Whether something in between keeps the device away, nobody here knows.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use axum::http::{
    HeaderMap,
    header::{HOST, ORIGIN},
    uri::Authority,
};

/// Addresses for documentation: there is a route to them if there is one to anywhere.
const ANYWHERE: [IpAddr; 2] = [
    IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1)),
    IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1)),
];

/// The beginning of an address for other devices: the one under which the person reaches the server from elsewhere, or
/// the one that this machine has outside. None where the server listens on loopback only.
pub(super) fn from_elsewhere(listens_on: SocketAddr, headers: &HeaderMap) -> Option<String> {
    if listens_on.ip().is_loopback() {
        return None;
    }
    let sent = |name| headers.get(name).and_then(|value| value.to_str().ok());
    // The gate has let in nobody with the name of somebody else.
    let asked =
        sent(ORIGIN).map(ToOwned::to_owned).or_else(|| Some(format!("http://{}", sent(HOST)?)));
    if let Some(asked) = asked.filter(|asked| !is_loopback(asked)) {
        return Some(asked);
    }
    let ip = match listens_on.ip() {
        ip if ip.is_unspecified() => outward(ip.is_ipv6())?,
        ip => ip,
    };
    Some(format!("http://{}", SocketAddr::new(ip, listens_on.port())))
}

fn is_loopback(origin: &str) -> bool {
    let authority = origin.split_once("://").map_or(origin, |(_, authority)| authority);
    let Ok(authority) = authority.parse::<Authority>() else { return true };
    let host = authority.host().trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback() || ip.is_unspecified())
}

/// The address that this machine has where it reaches others. A datagram that is only addressed is not sent.
fn outward(takes_both: bool) -> Option<IpAddr> {
    let mut families = ANYWHERE.into_iter().filter(|to| takes_both || to.is_ipv4());
    families.find_map(|to| {
        let any: IpAddr = match to {
            IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
            IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
        };
        let socket = UdpSocket::bind((any, 0)).ok()?;
        socket.connect((to, 9)).ok()?;
        let own = socket.local_addr().ok()?.ip();
        (!own.is_loopback() && !own.is_unspecified()).then_some(own)
    })
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    fn found(listens_on: &str, headers: &[(&'static str, &str)]) -> Option<String> {
        let headers = headers.iter().map(|(name, value)| {
            (axum::http::HeaderName::from_static(name), value.parse().unwrap())
        });
        from_elsewhere(listens_on.parse().unwrap(), &headers.collect())
    }

    #[test]
    fn another_device_is_told_the_address_that_the_person_uses_from_elsewhere() {
        let page = [("host", "box.example:3000"), ("origin", "https://box.example")];
        assert_eq!(found("0.0.0.0:3000", &page), Some("https://box.example".into()));
        let shell = [("host", "127.0.0.1:3000")];
        assert_eq!(found("192.0.2.7:3000", &shell), Some("http://192.0.2.7:3000".into()));
        assert_eq!(found("127.0.0.1:3000", &page), None, "nobody else reaches that");
        for own in ["127.0.0.1:3000", "[::1]:3000", "localhost:3000"] {
            let outside = found("0.0.0.0:3000", &[("host", own)]);
            // A machine without a network has no address to tell.
            assert!(outside.is_none_or(|outside| !is_loopback(&outside)), "{own}");
        }
    }
}
