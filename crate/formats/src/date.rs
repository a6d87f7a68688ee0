//! Times of the calendar.

use alloc::format;
use alloc::string::String;

/// Formats seconds since 1970. `None` if that cannot be the time of a recording.
pub(crate) fn date(seconds: f64) -> Option<String> {
    // Years 1970 to 9999.
    if !(seconds > 0.0 && seconds < 253_402_300_800.0) {
        return None;
    }
    let seconds = seconds as u64;
    let (days, of_day) = (seconds / 86_400, seconds % 86_400);
    // Days since 0000-03-01, in eras of 400 years (H. Hinnant, "chrono-compatible low-level date
    // algorithms").
    let z = days + 719_468;
    let (era, doe) = (z / 146_097, z % 146_097);
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let (day, month) = (doy - (153 * mp + 2) / 5 + 1, if mp < 10 { mp + 3 } else { mp - 9 });
    let year = yoe + era * 400 + u64::from(month <= 2);
    Some(format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02} UTC", of_day / 3600, of_day / 60 % 60, of_day % 60))
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn dates_follow_the_calendar() {
        assert_eq!(date(1_700_000_001.75).as_deref(), Some("2023-11-14 22:13:21 UTC"));
        assert_eq!(date(951_782_400.0).as_deref(), Some("2000-02-29 00:00:00 UTC"));
        assert_eq!(date(1_795_220_266.0).as_deref(), Some("2026-11-21 00:17:46 UTC"));
        assert_eq!(date(1_609_459_199.0).as_deref(), Some("2020-12-31 23:59:59 UTC"));
        assert_eq!(date(1.0).as_deref(), Some("1970-01-01 00:00:01 UTC"));
        assert_eq!(date(i64::MAX as f64), None);
        assert_eq!(date(0.0), None);
        assert_eq!(date(f64::NAN), None);
    }
}
